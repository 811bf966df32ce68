/**
 * Loads scripts of other sites, which the network or the page's content security policy may block.
 */

/** Milliseconds after which a script counts as impossible to load. */
const loadMaxMs = 20_000;

/**
 * Loads a script through a new `<script>` element, appended to `place`.
 *
 * @param attributes set on the element, where some scripts read their parameters.
 * @throws Error if the script cannot be loaded.
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
