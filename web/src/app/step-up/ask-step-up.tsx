import { withTexts } from "#i18n/t.ts";
import { topScope } from "#ui/overlays/scopes.ts";

/**
 * Asks for the second factor above whatever is open, loaded when the first call needs it.
 *
 * @returns whether it was proven; false also where nothing can be loaded.
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
