import { useQuery } from "@tanstack/react-query";
import { listOwnModels } from "@tollgate/contract/endpoints/models.ts";
import { lazy, Suspense } from "react";
import { call } from "#api/call.ts";
import { useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { Button } from "#ui/controls/Button.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { serverUrlOf } from "#widgets/server/server-url.ts";
import { useStatus } from "#widgets/server/use-status.ts";
import type { LogRange } from "./logs.search.ts";

const CodeBlock = lazy(async () => ({
  default: (await import("#ui/copy/CodeBlock.tsx")).CodeBlock,
}));

const monthSeconds = 30 * 24 * 3_600;

/** A range that is at least this long is not widened. */
const longSeconds = monthSeconds - 24 * 3_600;

/**
 * What an empty log says. In a short range the calls may be older, so it offers a longer one; in a
 * long one it shows a command that makes the first call.
 */
export function useNoCalls(range: LogRange, onRange: (range: LogRange) => void) {
  const t = useT();
  const now = nowSeconds();
  if ((range.end || now) - range.start < longSeconds) {
    return {
      title: t("logs.emptyTitle"),
      description: t("logs.emptyText"),
      action: (
        <Button onClick={() => onRange({ start: now - monthSeconds, end: 0 })}>
          {t("logs.showLast30Days")}
        </Button>
      ),
    };
  }
  return {
    title: t("logs.firstTitle"),
    description: t("logs.firstText"),
    command: <FirstCall />,
    action: <LinkButton to="/token">{t("logs.firstKey")}</LinkButton>,
  };
}

/** A command that calls the first model that the user can call; the user fills in the key. */
function FirstCall() {
  const t = useT();
  const serverUrl = serverUrlOf(useStatus()?.server_address, ownAddress());
  const { data } = useQuery({
    queryKey: ["logs-models"],
    queryFn: async ({ signal }) => await call(listOwnModels, {}, signal),
  });
  const body = JSON.stringify({
    model: data?.[0] ?? t("logs.firstModel"),
    messages: [{ role: "user", content: "hi" }],
  });
  const code = [
    `curl ${serverUrl}/v1/chat/completions \\`,
    `  -H "Authorization: Bearer sk-…" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body.replaceAll("'", `'\\''`)}'`,
  ].join("\n");
  return (
    <Suspense>
      <CodeBlock code={code} language="bash" />
    </Suspense>
  );
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
