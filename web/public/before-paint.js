// Runs before everything else of the page. A file of its own because the page's policy allows no
// script inside it.

// Before the first paint, so that nobody in the dark is shown a white page. The names are those of
// app/theme.ts.
{
  const chosen = localStorage.getItem("theme");
  const dark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", dark);
}

// Zod tries whether it may compile schemas by `new Function`, which the policy forbids, so each page
// would report a violation. It reads this before the first schema of any module is made.
globalThis.__zod_globalConfig = { jitless: true };
