import { role } from "@tollgate/contract/endpoints/users.ts";
import { useQuery } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { SearchInput } from "#ui/controls/SearchInput.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { useCopy } from "#ui/copy/use-copy.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Empty } from "#ui/feedback/Empty.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { useSession } from "#widgets/server/use-status.ts";
import { Part } from "./Part.tsx";
import { ownGroupsQuery, ownModelsQuery } from "./account.api.ts";
import { ratioTone } from "#widgets/money/ratio-tone.ts";
import { modelsFolded, shownModels } from "./shown-models.ts";

/** The models that the user can call, in all of the user's groups or in a chosen one. */
export function ModelsPart() {
  const t = useT();
  const [group, setGroup] = useState("");
  const [keyword, setKeyword] = useState("");
  const models = useQuery(ownModelsQuery(group));
  const names = models.data ?? [];
  return (
    <Part
      name="models"
      help={t("account.modelsHelp")}
      actions={
        names.length > 0 && <CopyButton text={names.join(",")} label={t("account.modelsCopy")} />
      }
    >
      <Groups chosen={group} onChoose={setGroup} />
      {names.length > modelsFolded && (
        <div className="w-72 max-w-full">
          <SearchInput
            value={keyword}
            placeholder={t("account.modelsSearch", { count: names.length })}
            onChange={setKeyword}
          />
        </div>
      )}
      {models.isPending && <Skeleton height={64} />}
      {models.data === undefined && models.error !== null && (
        <ErrorState
          title={t("widgets.modelsFailed")}
          error={models.error}
          onRetry={() => void models.refetch()}
        />
      )}
      {models.data !== undefined && (
        <Names key={group} names={names} keyword={keyword} onClear={() => setKeyword("")} />
      )}
    </Part>
  );
}

function Names(props: {
  readonly names: readonly string[];
  readonly keyword: string;
  readonly onClear: () => void;
}) {
  const { names, keyword } = props;
  const t = useT();
  const copy = useCopy();
  const [isUnfolded, setUnfolded] = useState(false);
  const shown = shownModels(names, { keyword, isUnfolded });

  async function copyName(name: string) {
    if (await copy(name)) toast({ tone: "success", title: t("account.modelsCopied", { name }) });
  }

  if (names.length === 0) return <NoModels />;
  if (shown.length === 0) {
    return (
      <Empty
        picture="sieve"
        title={t("account.modelsNotFound")}
        action={<Button onClick={props.onClear}>{t("account.modelsAll")}</Button>}
      />
    );
  }
  return (
    <ul aria-label={t("account.models")} className="flex flex-wrap gap-2">
      {shown.map((name) => (
        <li key={name} className="min-w-0">
          <Button
            size="sm"
            wraps
            aria-label={t("account.modelsCopyOne", { name })}
            icon={<Copy size={14} aria-hidden className="shrink-0" />}
            onClick={() => void copyName(name)}
          >
            {name}
          </Button>
        </li>
      ))}
      {keyword.trim() === "" && names.length > modelsFolded && (
        <li>
          <Button
            size="sm"
            variant="ghost"
            aria-expanded={isUnfolded}
            onClick={() => setUnfolded(!isUnfolded)}
          >
            {isUnfolded
              ? t("account.modelsFold")
              : t("account.modelsUnfold", { count: names.length - modelsFolded })}
          </Button>
        </li>
      )}
    </ul>
  );
}

/** Shows the user's groups with their ratios. Choosing a group limits the list of models to it. */
function Groups(props: { readonly chosen: string; readonly onChoose: (group: string) => void }) {
  const { chosen, onChoose } = props;
  const t = useT();
  const own = useSession()?.group ?? "";
  const groups = useQuery(ownGroupsQuery);
  if (groups.data === undefined) {
    if (groups.error === null) return <Skeleton height={28} />;
    return <ErrorState error={groups.error} onRetry={() => void groups.refetch()} />;
  }
  const named = Object.entries(groups.data).toSorted(([a], [b]) => a.localeCompare(b));
  const about = groups.data[chosen];
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div role="group" aria-label={t("account.groups")} className="flex flex-wrap gap-1.5">
        <Button size="sm" variant="ghost" aria-pressed={chosen === ""} onClick={() => onChoose("")}>
          {t("account.groupsAll")}
        </Button>
        {named.map(([name, { ratio }]) => (
          <Button
            key={name}
            size="sm"
            variant="ghost"
            wraps
            aria-pressed={chosen === name}
            onClick={() => onChoose(name)}
          >
            {name}
            <Badge tone={ratioTone(ratio)}>{t("account.ratio", { ratio })}</Badge>
          </Button>
        ))}
      </div>
      {about !== undefined && (
        <p className="text-sm">
          <Muted>
            {[
              about.desc === "" ? chosen : about.desc,
              t("account.groupPrices", { ratio: about.ratio }),
              ...(chosen === own ? [t("account.groupOwn")] : []),
            ].join(" · ")}
          </Muted>
        </p>
      )}
    </div>
  );
}

function NoModels() {
  const t = useT();
  const isAdmin = (useSession()?.role ?? 0) >= role.enum.admin;
  return (
    <Empty
      title={t("account.modelsNone")}
      description={isAdmin ? t("account.modelsNoneAdmin") : t("account.modelsNoneUser")}
      action={
        isAdmin ? (
          <LinkButton to="/channel">{t("app.screenChannels")}</LinkButton>
        ) : (
          <LinkButton to="/pricing">{t("app.screenPricing")}</LinkButton>
        )
      }
    />
  );
}
