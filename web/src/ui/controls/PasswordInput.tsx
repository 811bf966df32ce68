import { Eye, EyeOff } from "lucide-react";
import { useId, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Input, type InputProps } from "./Input.tsx";

/** A password field with a button that shows the password, and a warning while caps lock is on. */
export function PasswordInput(props: Omit<InputProps, "type" | "suffix" | "prefix">) {
  const t = useT();
  const [shown, setShown] = useState(false);
  const [capsLock, setCapsLock] = useState(false);
  const hintId = useId();
  const { "aria-describedby": describedBy, ...rest } = props;
  const described = capsLock ? [describedBy, hintId].filter(Boolean).join(" ") : describedBy;
  return (
    <div className="w-full">
      <Input
        spellCheck={false}
        autoCapitalize="none"
        {...rest}
        type={shown ? "text" : "password"}
        aria-describedby={described}
        onKeyUp={(event) => {
          setCapsLock(event.getModifierState("CapsLock"));
          props.onKeyUp?.(event);
        }}
        onBlur={(event) => {
          setCapsLock(false);
          props.onBlur?.(event);
        }}
        suffix={
          <button
            type="button"
            disabled={props.disabled}
            aria-label={shown ? t("ui.hidePassword") : t("ui.showPassword")}
            aria-pressed={shown}
            className="-mr-2 flex h-7 w-8 items-center max-md:h-8 justify-center rounded-inner hover:text-ink"
            onClick={() => setShown(!shown)}
          >
            {shown ? <EyeOff size={16} aria-hidden /> : <Eye size={16} aria-hidden />}
          </button>
        }
      />
      {capsLock && (
        <p id={hintId} role="status" className="mt-1 text-xs text-warning-ink">
          {t("ui.capsLock")}
        </p>
      )}
    </div>
  );
}
