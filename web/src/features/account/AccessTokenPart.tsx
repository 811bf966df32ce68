import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { Button } from "#ui/controls/Button.tsx";
import { CodeBlock } from "#ui/copy/CodeBlock.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { useCopy } from "#ui/copy/use-copy.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { Part } from "./Part.tsx";
import { useCreateAccessToken } from "./account.api.ts";

/**
 * The access token, with which programs call the console API. It is shown only once, when it is
 * made.
 */
export function AccessTokenPart({ userId }: { readonly userId: number }) {
  const t = useT();
  const confirm = useConfirm();
  const copy = useCopy();
  const { mutateAsync: create, isPending } = useCreateAccessToken();
  const [made, setMade] = useState<string | null>(null);

  async function generate() {
    const agreed = await confirm({
      title: t("account.accessTokenReplaceTitle"),
      body: t("account.accessTokenReplaceBody"),
      confirmLabel: t("account.accessTokenCreate"),
    });
    if (!agreed) return;
    try {
      const token = await create();
      setMade(token);
      await copy(token);
    } catch (error) {
      toastError(error);
    }
  }

  return (
    <Part name="access-token" help={t("account.accessTokenHelp")}>
      {made !== null && (
        <div className="flex min-w-0 flex-col gap-3">
          <Banner tone="warning" title={t("account.accessTokenOnce")} />
          <div className="flex min-w-0 items-center gap-2">
            <code className="min-w-0 flex-1 font-mono text-sm break-all select-all">{made}</code>
            <CopyButton secret text={made} label={t("account.accessTokenCopy")} variant="primary" />
          </div>
          <CodeBlock code={exampleOf(made, userId)} language="bash" />
        </div>
      )}
      <div>
        <Button loading={isPending} onClick={() => void generate()}>
          {t("account.accessTokenCreate")}
        </Button>
      </div>
    </Part>
  );
}

function exampleOf(token: string, userId: number): string {
  return [
    `curl ${ownAddress()}/api/user/self \\`,
    `  -H 'Authorization: Bearer ${token}' \\`,
    `  -H 'New-Api-User: ${userId}'`,
  ].join("\n");
}
