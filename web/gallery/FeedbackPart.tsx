/** Messages, badges and waiting in every state. */

import { Plus } from "lucide-react";
import { Button } from "#ui/controls/Button.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Empty } from "#ui/feedback/Empty.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { LiveDot } from "#ui/feedback/LiveDot.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { ProgressBar } from "#ui/feedback/ProgressBar.tsx";
import { ProgressRing } from "#ui/feedback/ProgressRing.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Spinner } from "#ui/feedback/Spinner.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import { Card } from "#ui/layout/Card.tsx";
import type { Tone } from "#ui/tone.ts";
import { Example, Examples, useSample } from "./Example.tsx";

const tones: readonly Tone[] = [
  "neutral",
  "accent",
  "success",
  "fair",
  "warning",
  "danger",
  "info",
];

export function FeedbackPart() {
  const s = useSample();
  const words: Readonly<Record<Tone, string>> = {
    neutral: s("已注销", "Cancelled"),
    accent: s("当前", "Current"),
    success: s("已激活", "Active"),
    fair: s("尚可", "Fair"),
    warning: s("即将过期", "Expires soon"),
    danger: s("已封禁", "Banned"),
    info: s("排队中", "Queued"),
  };
  return (
    <Examples>
      <Example title="badges">
        <div className="flex flex-wrap gap-1.5">
          {tones.map((tone) => (
            <Badge key={tone} tone={tone}>
              {words[tone]}
            </Badge>
          ))}
        </div>
      </Example>
      <Example title="progress ring">
        <div className="flex gap-3">
          {[0, 4, 9].map((done) => (
            <ProgressRing key={done} value={done} max={9} />
          ))}
        </div>
      </Example>
      <Example title="badge, cut">
        <div className="w-32">
          <Badge tone="info">claude-opus-4-20260115-thinking-preview</Badge>
        </div>
      </Example>
      <Example title="toned text, muted text, live">
        <div className="flex flex-wrap items-center gap-3">
          {tones.map((tone) => (
            <Toned key={tone} tone={tone}>
              {words[tone]}
            </Toned>
          ))}
          <Muted>{s("次要", "Secondary")}</Muted>
          <span className="inline-flex items-center gap-2">
            <LiveDot /> {s("实时", "Live")}
          </span>
          <span className="inline-flex items-center gap-2">
            <LiveDot tone="neutral" still /> {s("已暂停", "Paused")}
          </span>
          <Spinner />
        </div>
      </Example>
      <Example title="progress">
        <div className="flex flex-col gap-3">
          <ProgressBar value={62} max={100} label={s("已用额度", "Quota used")} />
          <ProgressBar value={84} max={100} tone="warning" label={s("已用额度", "Quota used")} />
          <ProgressBar value={120} max={100} tone="danger" label={s("已用额度", "Quota used")} />
          <ProgressBar value={0} max={0} label={s("已用额度", "Quota used")} />
        </div>
      </Example>
      <Example title="skeleton">
        <div className="flex flex-col gap-2">
          <Skeleton width="60%" />
          <Skeleton />
          <Skeleton width={120} height={32} />
        </div>
      </Example>
      <Example title="banners" wide>
        <div className="grid gap-2 md:grid-cols-2">
          {tones.map((tone) => (
            <Banner key={tone} tone={tone} title={words[tone]}>
              {s("3 条渠道在过去一小时内失败。", "Three channels failed in the last hour.")}
            </Banner>
          ))}
          <Banner
            tone="warning"
            title={s("额度将在 2 天内用完", "The quota lasts two more days")}
            action={<Button size="sm">{s("充值", "Top up")}</Button>}
          />
        </div>
      </Example>
      <Example title="empty">
        <Card flush>
          <Empty
            title={s("还没有令牌", "No tokens yet")}
            description={s(
              "令牌是程序调用接口时的凭证。",
              "A token is what a program shows when it calls the API.",
            )}
            action={
              <Button variant="primary" icon={<Plus size={16} aria-hidden />}>
                {s("创建令牌", "Create token")}
              </Button>
            }
          />
        </Card>
      </Example>
      <Example title="error">
        <Card flush>
          <ErrorState
            error={new Error(s("数据库暂时不可用", "The database is not available"))}
            onRetry={ignore}
          />
        </Card>
      </Example>
    </Examples>
  );
}

function ignore(): void {}
