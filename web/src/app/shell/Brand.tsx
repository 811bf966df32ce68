import { useEffect, useState } from "react";
import { useAttention } from "#ui/attention/attention.ts";
import { showTabIcon } from "#ui/attention/tab-icon.ts";
import { Link } from "#ui/controls/Link.tsx";
import { SystemMark, useLogo, useSystemName } from "#widgets/server/SystemMark.tsx";

/**
 * Logo and name of the installation, as a link to the home page. The logo also becomes the icon of
 * the browser tab, with a dot while something fails or runs unseen.
 */
export function Brand() {
  const name = useSystemName();
  const chosen = useLogo();
  const [replaced, setReplaced] = useState({ logo: "", by: "" });
  const logo = replaced.logo === chosen ? replaced.by : chosen;
  const attention = useAttention();
  useEffect(() => void showTabIcon(logo, attention), [logo, attention]);
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
