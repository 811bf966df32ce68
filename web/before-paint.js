// Runs before every other script of the page. vite.config.ts writes it into index.html, because a
// file of its own would cost a round trip before the first paint, and writes the names of the built
// files into its tag. The server allows it by its hash, and writes the path below which the console
// is into the page. The keys are those of app/theme.ts, api/status.ts, api/session.ts and i18n/t.ts,
// as page/base-path.ts makes them.

// Before the first paint, so that a dark page does not flash white, and the page has the name that
// this installation had at the last visit.
{
  const page = document.documentElement;
  const base = page.dataset.base ?? "";
  const stored = (key) => localStorage.getItem(base === "" ? key : `${base}:${key}`);

  // Who asks the server itself, past the proxy that gives the console a path, is led below it.
  const { pathname, search, hash } = location;
  const path = `${pathname}/`.startsWith(`${base}/`) ? pathname.slice(base.length) : null;
  if (path === null) location.replace(base + pathname + search + hash);

  const chosen = stored("theme");
  const dark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  page.classList.toggle("dark", dark);

  try {
    const {
      system_name: name,
      logo,
      self_use_mode_enabled: selfUse,
    } = JSON.parse(stored("status") ?? "{}");
    page.toggleAttribute("data-self-use", selfUse === true);
    if (typeof name === "string" && name !== "") {
      document.title = name;
      page.style.setProperty("--system-name", JSON.stringify(name));
    }
    if (!logo) page.classList.add("product-logo");
  } catch {
    // The stored status is not JSON. The console reads a new one.
  }

  // Chooses what index.html shows of the home page's claim; `own`: the server says that the home
  // page is one that root wrote, so the claim is not shown.
  const language = stored("i18nextLng") ?? navigator.language;
  const isEnglish = language.toLowerCase().startsWith("en");
  page.lang = isEnglish ? "en" : "zh-CN";
  page.toggleAttribute("data-signed-in", stored("user") !== null);
  if ((path === "/" || path === "") && page.dataset.home !== "own") page.dataset.home = "default";

  // Preloads files that the main script would request only once it has arrived.
  const files = document.currentScript?.dataset ?? {};
  const isSignedIn = stored("user") !== null;
  const wanted = [
    isEnglish ? files.english : files.chinese,
    isSignedIn ? files.console : "",
    isSignedIn && isEnglish ? files.messages : "",
  ];
  for (const href of wanted.join(" ").split(" ").filter(Boolean)) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.crossOrigin = "";
    link.href = href;
    document.head.append(link);
  }
}

// Zod tries whether it may compile schemas by `new Function`, which the policy forbids, so each
// page would report a violation. Zod reads this before any schema is made.
globalThis.__zod_globalConfig = { jitless: true };
