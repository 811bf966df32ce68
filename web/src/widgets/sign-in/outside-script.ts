/** Scripts of other sites, which the network or the page's policy may block. */

/** Milliseconds before the page reports that a script cannot be loaded. */
const loadMaxMs = 20_000;

/**
 * Loads a script through a `<script>` element of its own, appended to `place`.
 * @param attributes attributes of the element, which the script reads.
 * @throws Error if it cannot be loaded.
 */
export async function loadOutside(
  place: HTMLElement,
  address: string,
  attributes: Readonly<Record<string, string>> = {},
): Promise<void> {
  const script = document.createElement("script");
  script.src = address;
  script.async = true;
  for (const [name, value] of Object.entries(attributes)) script.setAttribute(name, value);
  await new Promise<void>((resolve, reject) => {
    const giveUp = (): void => reject(new Error(`${address} does not come`));
    const timer = setTimeout(giveUp, loadMaxMs);
    const settle = (end: () => void) => () => {
      clearTimeout(timer);
      end();
    };
    script.addEventListener("load", settle(resolve));
    script.addEventListener("error", settle(giveUp));
    place.append(script);
  });
}
