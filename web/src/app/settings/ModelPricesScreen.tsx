import { OptionDraftsScreen } from "#features/options/OptionDraftsScreen.tsx";
import { ModelsScreen } from "#features/prices/ModelsScreen.tsx";

/** `/prices`: the prices are options. Features do not import one another, so they meet here. */
export function ModelPricesScreen() {
  return (
    <OptionDraftsScreen>
      <ModelsScreen />
    </OptionDraftsScreen>
  );
}
