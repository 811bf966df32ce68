import { useNavigate } from "@tanstack/react-router";
import { startDemoTour } from "@tollgate/contract/endpoints/demo-calls.ts";
import { useState } from "react";
import { call } from "#api/call.ts";
import { keepSession } from "#api/session.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { toastError } from "#ui/overlays/toast.ts";

/** Lets a visitor of a demo look around as root, who then sees everything and changes nothing. */
export function TourButton() {
  const t = useT();
  const navigate = useNavigate();
  const [isStarting, setStarting] = useState(false);
  const start = async (): Promise<void> => {
    setStarting(true);
    try {
      keepSession(await call(startDemoTour, {}));
      await navigate({ to: "/detail" });
    } catch (error) {
      toastError(error);
    } finally {
      setStarting(false);
    }
  };
  return (
    <Button loading={isStarting} onClick={() => void start()}>
      {t("home.lookAround")}
    </Button>
  );
}
