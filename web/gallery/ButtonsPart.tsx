/** Buttons in every state. */

import { Ellipsis, ExternalLink, Plus, RefreshCw, Trash2 } from "lucide-react";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Example, Examples, useSample } from "./Example.tsx";

const variants = ["primary", "default", "ghost", "danger"] as const;

export function ButtonsPart() {
  const s = useSample();
  const names = {
    primary: s("保存", "Save"),
    default: s("重置", "Reset"),
    ghost: s("编辑", "Edit"),
    danger: s("删除", "Delete"),
  };
  return (
    <Examples>
      {(["md", "sm"] as const).map((size) => (
        <Example key={size} title={`size ${size}`} wide>
          <div className="flex flex-wrap gap-2">
            {variants.map((variant) => (
              <Button key={variant} variant={variant} size={size}>
                {names[variant]}
              </Button>
            ))}
            {variants.map((variant) => (
              <Button
                key={variant}
                variant={variant}
                size={size}
                icon={<Plus size={16} aria-hidden />}
              >
                {names[variant]}
              </Button>
            ))}
          </div>
        </Example>
      ))}
      <Example title="disabled">
        <div className="flex flex-wrap gap-2">
          {variants.map((variant) => (
            <Button key={variant} variant={variant} disabled>
              {names[variant]}
            </Button>
          ))}
        </div>
      </Example>
      <Example title="loading">
        <div className="flex flex-wrap gap-2">
          {variants.map((variant) => (
            <Button key={variant} variant={variant} loading>
              {names[variant]}
            </Button>
          ))}
        </div>
      </Example>
      <Example title="icon buttons">
        <div className="flex flex-wrap gap-2">
          <IconButton label={s("刷新", "Refresh")} icon={<RefreshCw size={16} aria-hidden />} />
          <IconButton
            label={s("刷新", "Refresh")}
            variant="default"
            icon={<RefreshCw size={16} aria-hidden />}
          />
          <IconButton
            label={s("更多", "More")}
            size="sm"
            icon={<Ellipsis size={16} aria-hidden />}
          />
          <IconButton
            label={s("删除", "Delete")}
            variant="danger"
            icon={<Trash2 size={16} aria-hidden />}
          />
          <IconButton
            label={s("刷新", "Refresh")}
            variant="default"
            disabled
            icon={<RefreshCw size={16} aria-hidden />}
          />
          <IconButton
            label={s("刷新", "Refresh")}
            variant="default"
            loading
            icon={<RefreshCw size={16} aria-hidden />}
          />
        </div>
      </Example>
      <Example title="links">
        <div className="flex flex-wrap items-center gap-4">
          <Link to="/">{s("回到首页", "Home")}</Link>
          <Link to="/" look="plain">
            wangmin1003
          </Link>
          <Link href="https://example.com">{s("站外文档", "Documents elsewhere")}</Link>
          <LinkButton href="https://example.com" icon={<ExternalLink size={16} aria-hidden />}>
            {s("打开", "Open")}
          </LinkButton>
        </div>
      </Example>
    </Examples>
  );
}
