import { Link } from "#ui/controls/Link.tsx";
import { useStatus } from "#widgets/server/use-status.ts";
import { useSystemName } from "#app/routing/use-document-title.ts";

/** Logo and name of the installation; a link to the home page. */
export function Brand() {
  const name = useSystemName();
  const logo = useStatus()?.logo || "/logo.svg";
  return (
    <Link to="/" look="plain">
      <span className="flex min-w-0 items-center gap-2 px-1 text-lg font-semibold">
        <img src={logo} alt="" width={22} height={22} className="size-5.5 shrink-0" />
        <span className="max-w-60 truncate max-md:max-w-32">{name}</span>
      </span>
    </Link>
  );
}
