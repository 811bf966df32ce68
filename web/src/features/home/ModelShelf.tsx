import { useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { FrontColumns, FrontList, FrontRoom } from "#ui/layout/Front.tsx";
import { BrandMark, ModelMark } from "#widgets/brands/BrandMark.tsx";
import { type ModelPrice, showDollars } from "#widgets/money/model-prices.ts";
import { type ShelfGroup, shelfOf, shownOnShelf } from "./shelf.ts";

/** Models and prices of this gateway, a few of each brand. */
export function ModelShelf({ prices }: { prices: readonly ModelPrice[] }) {
  const t = useT();
  const groups = shelfOf(prices);
  if (groups.length === 0) return null;
  const count = shownOnShelf(prices).length;
  return (
    <FrontRoom labelledBy="models">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <div>
          <h2 id="models" className="text-xl font-semibold">
            {t("home.models")}
          </h2>
          <p>
            <Muted>{t("home.modelsBody")}</Muted>
          </p>
        </div>
        <Link to="/pricing">{t("home.allModels", { count })}</Link>
      </div>
      {groups.length === 1 ? (
        <FrontList>
          {groups[0]?.models.map((price) => (
            <ModelRow key={price.model} price={price} withMark />
          ))}
        </FrontList>
      ) : (
        <FrontColumns>
          {groups.map((group) => (
            <ShelfBrand key={group.brand?.id ?? ""} {...group} />
          ))}
        </FrontColumns>
      )}
    </FrontRoom>
  );
}

function ShelfBrand({ brand, models, more }: ShelfGroup) {
  const t = useT();
  const name = brand?.name ?? t("home.otherModels");
  return (
    <div className="min-w-0">
      <h3 className="flex items-center gap-2 border-b pb-2 font-medium">
        <BrandMark brand={brand} name={models[0]?.model ?? name} />
        {name}
        {more > 0 && (
          <span className="ml-auto text-xs font-normal">
            <Muted>{t("home.moreModels", { count: more })}</Muted>
          </span>
        )}
      </h3>
      <ul>
        {models.map((price) => (
          <ModelRow key={price.model} price={price} />
        ))}
      </ul>
    </div>
  );
}

function ModelRow({ price, withMark = false }: { price: ModelPrice; withMark?: boolean }) {
  return (
    <li className="flex items-center gap-2 border-b py-2 text-sm">
      {withMark && <ModelMark model={price.model} />}
      <span className="min-w-0 flex-1 truncate">{price.model}</span>
      <span className="shrink-0 font-mono text-xs tabular-nums">
        <Price price={price} />
      </span>
    </li>
  );
}

function Price({ price }: { price: ModelPrice }) {
  const t = useT();
  if (price.kind === "call") return t("home.perCall", { price: showDollars(price.perCall) });
  if (price.kind === "unpriced") return null;
  const million = 1_000_000n;
  return (
    <>
      {showDollars(price.input * million)} <Muted>→</Muted> {showDollars(price.output * million)}
    </>
  );
}
