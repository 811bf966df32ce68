import { useEffect, useState } from "react";
import { Link } from "#ui/controls/Link.tsx";
import { SystemMark, useLogo, useSystemName } from "#widgets/server/SystemMark.tsx";

/**
 * Logo and name of the installation, as a link to the home page. The logo also becomes the icon of
 * the browser tab.
 */
export function Brand() {
  const name = useSystemName();
  const chosen = useLogo();
  const [replaced, setReplaced] = useState({ logo: "", by: "" });
  const logo = replaced.logo === chosen ? replaced.by : chosen;
  useEffect(() => showTabIcon(logo), [logo]);
  return (
    // A long name is cut, so that everything beside it keeps its place.
    <div className="min-w-0">
      <Link to="/" look="plain">
        <span className="flex min-w-0 items-center gap-2 px-1 text-lg font-semibold">
          <SystemMark size={22} onReplaced={(by) => setReplaced({ logo: chosen, by })} />
          <span className="max-w-60 truncate max-md:max-w-32">{name}</span>
        </span>
      </Link>
    </div>
  );
}

function showTabIcon(address: string): void {
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon === null || icon.getAttribute("href") === address) return;
  // The page's HTML states the type of the built-in logo; the type of another logo is unknown.
  icon.removeAttribute("type");
  icon.href = address;
}
