/**
 * Runs `change` with all transitions off for two frames. For the theme: fading every border of a
 * long table costs more than drawing it.
 */
export function withoutTransitions(change: () => void): void {
  const { classList } = document.documentElement;
  classList.add("switching-theme");
  change();
  requestAnimationFrame(() => {
    requestAnimationFrame(() => classList.remove("switching-theme"));
  });
}
