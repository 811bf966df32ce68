import { useNavigate, useSearch } from "@tanstack/react-router";
import { useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { takeReturnAddress } from "#widgets/return-address.ts";
import { useStatus } from "#widgets/use-status.ts";
import { LoginForm } from "./LoginForm.tsx";
import { SignInFrame } from "./SignInFrame.tsx";

/** Sign-in by password. Other methods appear here when the status offers them. */
export function LoginScreen() {
  const t = useT();
  const navigate = useNavigate();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const status = useStatus();
  return (
    <SignInFrame title={t("signIn.title")}>
      {search["expired"] !== undefined && <Banner tone="warning" title={t("signIn.expired")} />}
      {status?.setup === false && (
        <Banner tone="info" title={t("signIn.notSetUp")}>
          <Link to="/">{t("signIn.notSetUpHow")}</Link>
        </Banner>
      )}
      <LoginForm
        onSignedIn={({ id }) => void navigate({ href: takeReturnAddress(id), replace: true })}
      />
    </SignInFrame>
  );
}
