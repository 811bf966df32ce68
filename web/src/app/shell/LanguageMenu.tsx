import { Check, Languages } from "lucide-react";
import { chooseLanguage, languageNames, languages, useLanguage, useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Menu } from "#ui/overlays/Menu.tsx";

/**
 * The menu that chooses the language. `opensAtOnce`: the menu is open when it is first drawn,
 * because it replaces a button that the user has pressed.
 */
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
