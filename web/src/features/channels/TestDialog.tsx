import { type Channel } from "@tollgate/contract/endpoints/channels.ts";
import { FlaskConical, Square } from "lucide-react";
import { useRef, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { SearchInput } from "#ui/controls/SearchInput.tsx";
import { Switch } from "#ui/controls/Switch.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { modelsOf, TestResult } from "./channel-cells.tsx";
import * as api from "./channels.api.ts";
import { noteTest, useTestState } from "./tests-running.ts";
import { describeError } from "#ui/feedback/describe-error.ts";

/** The largest number of tests that run at the same time. */
const testWidth = 3;

/** A dialog with the models of a channel, each of which can be tested separately. */
export function TestDialog(props: { id: number; open: boolean; onClose: () => void }) {
  const { id, open, onClose } = props;
  const t = useT();
  const { data: channel, error, refetch } = api.useChannel(id);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={t("channels.testTitle", { name: channel?.name ?? `#${id}` })}
      description={t("channels.testDescription")}
    >
      {channel !== undefined && <ModelTests channel={channel} />}
      {channel === undefined && error !== null && (
        <ErrorState error={error} onRetry={() => void refetch()} />
      )}
      {channel === undefined && error === null && <Skeleton height={160} />}
    </Dialog>
  );
}

function ModelTests({ channel }: { channel: Channel }) {
  const t = useT();
  const { id } = channel;
  const [keyword, setKeyword] = useState("");
  const [stream, setStream] = useState(false);
  const { testOne, testMany, stop, progress } = useModelTests(id, stream);
  const needle = keyword.trim().toLowerCase();
  const models = modelsOf(channel).filter((model) => model.toLowerCase().includes(needle));
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-40 flex-1">
          <SearchInput
            value={keyword}
            onChange={setKeyword}
            placeholder={t("channels.searchModels")}
          />
        </div>
        {progress === null ? (
          <Button
            icon={<FlaskConical size={14} aria-hidden />}
            disabled={models.length === 0}
            onClick={() => void testMany(models)}
          >
            {t("channels.testEach", { count: models.length })}
          </Button>
        ) : (
          <Button icon={<Square size={14} aria-hidden />} onClick={stop}>
            {t("channels.testStop", { done: progress.done, total: progress.total })}
          </Button>
        )}
      </div>
      <Switch label={t("channels.testStream")} checked={stream} onChange={setStream} />
      {models.length === 0 && <Muted>{t("channels.noModelFound")}</Muted>}
      <ul className="flex flex-col">
        {models.map((model) => (
          <ModelLine key={model} id={id} model={model} onTest={() => void testOne(model)} />
        ))}
      </ul>
    </div>
  );
}

function ModelLine(props: { id: number; model: string; onTest: () => void }) {
  const { id, model, onTest } = props;
  const t = useT();
  const isRunning = useTestState(id, model)?.kind === "running";
  return (
    <li className="flex min-h-10 items-center gap-3 py-1">
      <span className="min-w-0 flex-1 font-mono text-xs break-all">{model}</span>
      <span className="max-w-1/2 text-right" role="status">
        <TestResult id={id} model={model} />
      </span>
      <Button
        size="sm"
        disabled={isRunning}
        aria-label={t("channels.testModel", { model })}
        onClick={onTest}
      >
        {t("channels.test")}
      </Button>
    </li>
  );
}

function useModelTests(id: number, stream: boolean) {
  const test = api.useTestChannel();
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null);
  const round = useRef(0);

  async function testOne(model: string): Promise<void> {
    noteTest(id, model, { kind: "running" });
    try {
      noteTest(id, model, { kind: "passed", seconds: await test({ id, model, stream }) });
    } catch (error) {
      noteTest(id, model, { kind: "failed", message: describeError(error).title });
    }
  }

  async function testMany(models: readonly string[]): Promise<void> {
    const mine = (round.current += 1);
    setProgress({ done: 0, total: models.length });
    const left = models.values();
    const testNext = async (): Promise<void> => {
      for (const model of left) {
        if (round.current !== mine) return;
        await testOne(model);
        setProgress((now) => (now === null ? null : { ...now, done: now.done + 1 }));
      }
    };
    // The loops that test in parallel take their models from one shared iterator, so that each
    // model is tested once.
    await Promise.all(Array.from({ length: testWidth }, testNext));
    if (round.current === mine) setProgress(null);
  }

  function stop(): void {
    round.current += 1;
    setProgress(null);
  }

  return { testOne, testMany, stop, progress };
}
