import { useNavigate } from "@tanstack/react-router";
import { CircleUser, LogOut } from "lucide-react";
import { logout } from "contract/sign-in.ts";
import { role, type ShortUser } from "contract/users.ts";
import { call, CallError } from "#api/call.ts";
import { keepSession } from "#api/session.ts";
import { type TextKey, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Menu } from "#ui/overlays/Menu.tsx";
import { toastError } from "#ui/overlays/toast.ts";

const roleNames: Readonly<Record<number, TextKey>> = {
  [role.enum.user]: "app.roleUser",
  [role.enum.admin]: "app.roleAdmin",
  [role.enum.root]: "app.roleRoot",
};

/** Who is signed in, and the way out. */
export function AccountMenu({ user }: { readonly user: ShortUser }) {
  const t = useT();
  const navigate = useNavigate();
  const shown = user.display_name || user.username;
  const roleName = t(roleNames[user.role] ?? "app.roleUser");

  async function signOut() {
    try {
      await call(logout, {});
    } catch (error) {
      // Only an answer of the server ends the session there; without one the cookie lives on.
      if (!(error instanceof CallError) || error.status !== 401) {
        toastError(error);
        return;
      }
    }
    // In this order: nobody comes back to a screen they signed out on.
    await navigate({ to: "/login" });
    keepSession(null);
  }

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
