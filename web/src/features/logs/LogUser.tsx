import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { UserDialog } from "#widgets/people/UserLink.tsx";
import { useLogUser } from "./logs.api.ts";

/** A dialog about the user who made a call, with a button that filters the log by this user. */
export function LogUser(props: {
  id: number;
  onClose: () => void;
  onFilter: (username: string) => void;
}) {
  const t = useT();
  const { data, error, refetch } = useLogUser(props.id);
  return (
    <UserDialog
      user={data}
      error={error}
      onRetry={() => void refetch()}
      onClose={props.onClose}
      actions={
        data && (
          <Button onClick={() => props.onFilter(data.username)}>
            {t("logs.onlyThisUser", { name: data.username })}
          </Button>
        )
      }
    />
  );
}
