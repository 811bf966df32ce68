/**
 * Makes values on first use. A schema takes some two kilobytes and there are thousands of them in
 * the contract; every thread that imports one file of it would otherwise make them all, for
 * endpoints that nobody calls.
 */

/**
 * Returns what stands for the value of `make`, which is called when the value is first looked at.
 *
 * @param make returns an object that is not a function, and looks the same however late it is called
 */
export function late<Value extends object>(make: () => Value): Value {
  let made: Value | undefined;
  const value = (): Value => (made ??= make());
  // Safe cast: every way to look at the object leads to the value.
  return new Proxy({} as Value, {
    get: (_, key) => Reflect.get(value(), key),
    has: (_, key) => Reflect.has(value(), key),
    set: (_, key, set) => Reflect.set(value(), key, set),
    ownKeys: () => Reflect.ownKeys(value()),
    getPrototypeOf: () => Reflect.getPrototypeOf(value()),
    getOwnPropertyDescriptor(_, key) {
      const found = Reflect.getOwnPropertyDescriptor(value(), key);
      // A proxy may only show a fixed property if its empty target has it.
      return found && { ...found, configurable: true };
    },
  });
}
