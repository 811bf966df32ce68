// Runs before every other script of the page. It is a file because the page's content security
// policy forbids inline scripts. The keys in local storage are those of app/theme.ts,
// api/status.ts, api/session.ts and i18n/t.ts; vite.config.ts writes the names of the built files
// into this script's tag.

// Sets the theme, name and logo before the first paint, so that a dark page does not flash white
// first and the page has the name that this installation had at the last visit.
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
    // The status in local storage is not JSON. The console reads a new one from the server.
  }

  // Preloads the files that the main script would otherwise request only after it has been loaded.
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

// Zod tries whether it may compile schemas by `new Function`, which the content security policy
// forbids, so each page would report a violation. Zod reads this setting before any module creates
// its first schema.
globalThis.__zod_globalConfig = { jitless: true };
