import { useSession } from "#widgets/server/use-status.ts";
import { isRoot } from "#widgets/start/checklists.ts";
import { FirstCallScreen } from "./FirstCallScreen.tsx";
import { SetupChecklistScreen } from "./SetupChecklistScreen.tsx";

/**
 * `/start`: for root the steps of setting up the installation, for everybody else the steps to a
 * first call.
 */
export function StartScreen() {
  const session = useSession();
  if (session === null) return null;
  return isRoot(session) ? <SetupChecklistScreen /> : <FirstCallScreen user={session} />;
}
