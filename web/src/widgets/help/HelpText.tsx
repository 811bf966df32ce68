import { useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { type HelpTerm, helpTexts } from "./terms.ts";

/** The link opens another tab, so that what was typed stays. */
export function HelpText({ term }: { readonly term: HelpTerm }) {
  const t = useT();
  const [, short] = helpTexts[term];
  return (
    <span className="flex flex-col items-start gap-2">
      <span>{t(short)}</span>
      <Link href={`/help#${term}`} target="_blank">
        {t("help.more")}
      </Link>
    </span>
  );
}
