import { useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { type HelpTerm, helpTexts } from "./terms.ts";

/**
 * A sentence that explains a term, and a link to more. The link opens a new tab, so that a
 * half-filled form stays open.
 */
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
