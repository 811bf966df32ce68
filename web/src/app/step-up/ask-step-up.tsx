import { withTexts } from "#i18n/t.ts";
import { topScope } from "#ui/overlays/scopes.ts";

/**
 * Opens the step-up dialog above everything else. The dialog's code is loaded when a call first
 * needs it.
 *
 * @returns whether the user proved the second factor; false as well if the dialog cannot be loaded.
 */
export async function askStepUp(): Promise<boolean> {
  const loaded = await withTexts("security", import("./StepUpDialog.tsx")).catch(() => null);
  if (loaded === null) return false;
  const { StepUpDialog } = loaded;
  const scope = topScope();
  return await new Promise((resolve) => {
    const answer = (isProven: boolean): void => {
      scope.draw(null);
      resolve(isProven);
    };
    scope.draw(<StepUpDialog onAnswer={answer} />);
  });
}
