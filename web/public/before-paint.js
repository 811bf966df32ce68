// Runs before everything else of the page. A file of its own because the page's policy allows no
// script inside it. The keys are those of app/theme.ts, api/status.ts, api/session.ts and
// i18n/t.ts; vite.config.ts writes the names of the built files into the tag.

// Before the first paint, so that nobody in the dark is shown a white page, and the page has the
// name that this installation had at the last visit.
{
  const page = document.documentElement;
  const chosen = localStorage.getItem("theme");
  const dark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  page.classList.toggle("dark", dark);

  try {
    const { system_name: name, logo } = JSON.parse(localStorage.getItem("status") ?? "{}");
    if (typeof name === "string" && name !== "") {
      document.title = name;
      page.style.setProperty("--system-name", JSON.stringify(name));
    }
    if (!logo) page.classList.add("product-logo");
  } catch {
    // The kept status is not JSON: the console reads a new one.
  }

  // What the first script would ask for only once it has arrived itself.
  const language = localStorage.getItem("i18nextLng") ?? navigator.language;
  const files = document.currentScript?.dataset ?? {};
  const wanted = [
    language.toLowerCase().startsWith("en") ? files.english : files.chinese,
    localStorage.getItem("user") === null ? "" : files.console,
  ];
  for (const href of wanted.join(" ").split(" ").filter(Boolean)) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.crossOrigin = "";
    link.href = href;
    document.head.append(link);
  }
}

// Zod tries whether it may compile schemas by `new Function`, which the policy forbids, so each page
// would report a violation. It reads this before the first schema of any module is made.
globalThis.__zod_globalConfig = { jitless: true };
