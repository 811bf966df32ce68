import { CircleUser, LogOut } from "lucide-react";
import { role, type ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { type TextKey, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Menu } from "#ui/overlays/Menu.tsx";
import { useSignOut } from "./use-sign-out.ts";

const roleNames: Readonly<Record<number, TextKey>> = {
  [role.enum.user]: "app.roleUser",
  [role.enum.admin]: "app.roleAdmin",
  [role.enum.root]: "app.roleRoot",
};

/** The menu that shows who is signed in and has the button to sign out. */
export function AccountMenu({ user }: { readonly user: ShortUser }) {
  const t = useT();
  const signOut = useSignOut();
  const shown = user.display_name || user.username;
  const roleName = t(roleNames[user.role] ?? "app.roleUser");

  return (
    <Menu
      trigger={
        <Button
          variant="ghost"
          icon={<CircleUser size={16} aria-hidden />}
          aria-label={t("app.account", { name: shown })}
        >
          <span className="max-w-32 truncate max-md:hidden">{shown}</span>
        </Button>
      }
      items={[
        {
          key: "who",
          label: shown,
          disabled: `${user.username} · ${roleName} · ID ${user.id}`,
          onSelect: () => {},
        },
        "separator",
        {
          key: "sign-out",
          label: t("app.logout"),
          icon: <LogOut size={14} aria-hidden />,
          onSelect: () => void signOut(),
        },
      ]}
    />
  );
}
