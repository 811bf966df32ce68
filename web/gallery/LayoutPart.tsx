/** Panels and headers in every state. */

import { Plus, RefreshCw } from "lucide-react";
import { useState } from "react";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { Kbd } from "#ui/layout/Kbd.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { Section } from "#ui/layout/Section.tsx";
import { Step, StepList } from "#ui/layout/StepList.tsx";
import { Tabs } from "#ui/layout/Tabs.tsx";
import { Example, Examples, useSample } from "./Example.tsx";

export function LayoutPart() {
  const s = useSample();
  const [tab, setTab] = useState("use");
  return (
    <Examples>
      <Example title="page header" wide>
        <PageHeader
          title={s("用户管理", "Users")}
          description={s("管理用户的分组、额度与权限", "Manage groups, quota and permissions")}
          actions={
            <>
              <IconButton
                label={s("刷新", "Refresh")}
                variant="default"
                icon={<RefreshCw size={16} aria-hidden />}
              />
              <Button variant="primary" icon={<Plus size={16} aria-hidden />}>
                {s("添加用户", "Add user")}
              </Button>
            </>
          }
        />
      </Example>
      <Example title="tabs" wide>
        <Tabs
          aria-label={s("视图", "Views")}
          value={tab}
          onChange={setTab}
          items={[
            { value: "use", label: s("用量", "Usage") },
            { value: "keys", label: s("密钥", "Keys") },
            { value: "old", label: s("归档", "Archive"), disabled: true },
          ]}
        >
          {tab === "use" ? s("过去 7 天", "The last 7 days") : s("没有密钥", "No keys")}
        </Tabs>
      </Example>
      <Example title="card">
        <Card
          title={s("剩余额度", "Remaining")}
          actions={<Button size="sm">{s("充值", "Top up")}</Button>}
        >
          <p className="text-3xl font-semibold tabular-nums">$857.61</p>
        </Card>
      </Example>
      <Example title="steps" wide>
        <StepList aria-label={s("步骤", "Steps")}>
          <Step
            done
            title={s("创建令牌", "Create an API key")}
            state={s("已完成", "Done")}
            text={s("你有 1 个令牌", "Your API keys: 1")}
          />
          <Step
            current
            done={false}
            title={s("完成第一次调用", "Make a first call")}
            state={s("未完成", "Not done yet")}
            text={s("复制示例并运行。", "Copy an example and run it.")}
            actions={<Button variant="primary">{s("打开操练场", "Open the playground")}</Button>}
          />
        </StepList>
      </Example>
      <Example title="description list">
        <Card>
          <DescriptionList
            items={[
              { label: s("邮箱", "E-mail"), value: "wangmin1003@example.com" },
              { label: s("创建时间", "Created"), value: "2026-04-28 13:25:07" },
              {
                label: s("分组", "Group"),
                value: <Badge tone="info">vip</Badge>,
              },
            ]}
          />
        </Card>
      </Example>
      <Example title="section">
        <Section
          title={s("安全", "Security")}
          description={s("密码与登录方式", "Password and ways to sign in")}
          actions={<Button size="sm">{s("修改", "Change")}</Button>}
        >
          <Card>{s("上次修改于 30 天前", "Changed 30 days ago")}</Card>
        </Section>
      </Example>
      <Example title="keys">
        <div className="flex items-center gap-1">
          <Kbd>Ctrl</Kbd>
          <Kbd>K</Kbd>
          <Kbd>/</Kbd>
          <Kbd>Esc</Kbd>
        </div>
      </Example>
    </Examples>
  );
}
