import { role, type User } from "@tollgate/contract/endpoints/users.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Part } from "./Part.tsx";

/** The part with the button that deletes the account. Root's account cannot be deleted. */
export function DeletePart(props: { readonly self: User; readonly onDelete: () => void }) {
  const { self, onDelete } = props;
  const t = useT();
  const isRoot = self.role === role.enum.root;
  return (
    <Part name="delete" help={isRoot ? t("account.deleteRoot") : t("account.deleteHelp")}>
      <div>
        <Button variant="danger" disabled={isRoot} onClick={onDelete}>
          {t("account.delete")}
        </Button>
      </div>
    </Part>
  );
}
