import { useEffect, useState } from "react";
import { Link } from "#ui/controls/Link.tsx";
import { useStatus } from "#widgets/server/use-status.ts";
import { useSystemName } from "#app/routing/use-document-title.ts";

const ownLogo = "/logo.svg";

/**
 * Logo and name of the installation, as a link to the home page. The logo also becomes the icon of
 * the browser tab.
 */
export function Brand() {
  const name = useSystemName();
  const chosen = useStatus()?.logo || ownLogo;
  const [broken, setBroken] = useState("");
  const logo = chosen === broken ? ownLogo : chosen;
  useEffect(() => showTabIcon(logo), [logo]);
  return (
    // A long name is cut, so that everything beside it keeps its place.
    <div className="min-w-0">
      <Link to="/" look="plain">
        <span className="flex min-w-0 items-center gap-2 px-1 text-lg font-semibold">
          <img
            src={logo}
            alt=""
            width={22}
            height={22}
            className="size-5.5 shrink-0"
            // Shows the built-in logo instead. Besides a broken image, the cause may be that root
            // has set a new logo since the page was loaded: the page's content security policy does
            // not allow its origin.
            onError={() => setBroken(logo)}
          />
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
