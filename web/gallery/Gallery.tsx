import { addressOf, readChoice } from "./choice.ts";
import { parts } from "./parts.ts";

/**
 * The gallery: all parts of the kit one below the other, or only the part that the address names.
 */
export function Gallery() {
  const choice = readChoice();
  const shown = parts.filter(({ name }) => choice.part === null || choice.part === name);
  return (
    <div className="min-h-dvh">
      {!choice.bare && <Bar />}
      <main className="mx-auto flex max-w-360 flex-col gap-8 p-5 max-md:p-3">
        {shown.map(({ name, title, Part }) => (
          <section key={name} aria-labelledby={`part-${name}`} className="flex flex-col gap-4">
            <h2 id={`part-${name}`} className="border-b border-line pb-2 text-lg font-semibold">
              {title}
            </h2>
            <Part />
          </section>
        ))}
      </main>
    </div>
  );
}

function Bar() {
  const choice = readChoice();
  const link = "rounded-inner px-2 py-1 text-muted hover:bg-hover hover:text-ink";
  const other = {
    theme: choice.theme === "dark" ? "light" : "dark",
    language: choice.language === "zh" ? "en" : "zh",
  } as const;
  return (
    <header className="sticky top-0 z-10 flex flex-wrap items-center gap-1 border-b border-line bg-sunken px-3 py-2 text-sm max-md:static">
      <h1 className="mr-3 font-semibold">Kit</h1>
      <a className={link} href={addressOf({ ...choice, part: null })}>
        all
      </a>
      {parts.map(({ name }) => (
        <a
          key={name}
          className={link}
          href={addressOf({ ...choice, part: name })}
          aria-current={name === choice.part ? "page" : undefined}
        >
          {name}
        </a>
      ))}
      <span className="flex-1" />
      <a className={link} href={addressOf({ ...choice, theme: other.theme })}>
        {other.theme}
      </a>
      <a className={link} href={addressOf({ ...choice, language: other.language })}>
        {other.language}
      </a>
    </header>
  );
}
