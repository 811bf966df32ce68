import { Check, Languages } from "lucide-react";
import { chooseLanguage, type Language, languages, useLanguage, useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Menu } from "#ui/overlays/Menu.tsx";

/** Each language is named in itself, so that its readers find it. */
export const languageNames: Readonly<Record<Language, string>> = { zh: "简体中文", en: "English" };

/** `opensAtOnce`: it is drawn because it was pressed. */
export function LanguageMenu({ opensAtOnce = false }: { readonly opensAtOnce?: boolean }) {
  const t = useT();
  const chosen = useLanguage();
  return (
    <Menu
      opensAtOnce={opensAtOnce}
      trigger={<IconButton label={t("app.language")} icon={<Languages size={16} aria-hidden />} />}
      items={languages.map((language) => ({
        key: language,
        label: languageNames[language],
        icon: <Check size={14} aria-hidden className={language === chosen ? "" : "invisible"} />,
        onSelect: () => void chooseLanguage(language),
      }))}
    />
  );
}
