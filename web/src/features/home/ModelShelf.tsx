import { useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { BrandMark, ModelMark } from "#widgets/brands/BrandMark.tsx";
import { type ModelPrice, showDollars } from "#widgets/money/model-prices.ts";
import { type ShelfGroup, shelfOf } from "./shelf.ts";

/** Models and prices of this gateway, a few of each brand. */
export function ModelShelf({ prices }: { prices: readonly ModelPrice[] }) {
  const t = useT();
  const groups = shelfOf(prices);
  if (groups.length === 0) return null;
  const count = prices.filter(({ kind, isCallable }) => isCallable && kind !== "unpriced").length;
  return (
    <section
      aria-labelledby="models"
      className="mx-auto flex w-full max-w-6xl flex-col gap-5 px-6 max-md:px-4"
    >
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
        <ul className="gap-x-10 text-sm sm:columns-2 lg:columns-3">
          {groups[0]?.models.map((price) => (
            <ModelRow key={price.model} price={price} withMark />
          ))}
        </ul>
      ) : (
        <div className="grid gap-x-10 gap-y-8 sm:grid-cols-2 lg:grid-cols-3">
          {groups.map((group) => (
            <ShelfBrand key={group.brand?.id ?? ""} {...group} />
          ))}
        </div>
      )}
    </section>
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
      <ul className="text-sm">
        {models.map((price) => (
          <ModelRow key={price.model} price={price} />
        ))}
      </ul>
    </div>
  );
}

function ModelRow({ price, withMark = false }: { price: ModelPrice; withMark?: boolean }) {
  return (
    <li className="flex break-inside-avoid items-center gap-2 border-b py-2">
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
