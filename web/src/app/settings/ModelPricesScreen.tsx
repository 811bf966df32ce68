import { OptionDraftsScreen } from "#features/options/OptionDraftsScreen.tsx";
import { ModelsScreen } from "#features/prices/ModelsScreen.tsx";

/**
 * The screen `/prices`. Prices are options; features must not import one another, so this module in
 * `app` combines the features `prices` and `options`.
 */
export function ModelPricesScreen() {
  return (
    <OptionDraftsScreen>
      <ModelsScreen />
    </OptionDraftsScreen>
  );
}
