// Runs before the first paint, so that nobody in the dark is shown a white page. A file of its own
// because the page's policy allows no script inside it. The names are those of app/theme.ts.
{
  const chosen = localStorage.getItem("theme");
  const dark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", dark);
}
