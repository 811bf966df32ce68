import { type Brand, brandOfModel, brandOfType } from "@tollgate/contract/words/brands.ts";
import { memo } from "react";
import { Mark } from "#ui/feedback/Mark.tsx";
import { useMarks } from "./marks.ts";

/**
 * The mark of a brand; if it has none, the first letter of the name. It is decoration: the name is
 * always shown beside it.
 */
export const BrandMark = memo(function BrandMark(props: {
  /** The brand whose mark is shown; null: unknown. */
  brand: Brand | null;
  /** The name from which an unknown brand's letter and colour are derived. */
  name: string;
}) {
  const { brand, name } = props;
  const marks = useMarks();
  const image = marks.kind === "loaded" ? marks.images.get(brand?.id ?? "") : undefined;
  const isComing = marks.kind === "waiting" && brand !== null;
  return (
    <Mark
      image={image}
      letter={isComing ? "" : letterOf(brand?.name ?? name)}
      hue={brand?.hue ?? hueOf(name)}
    />
  );
});

export function ModelMark({ model }: { model: string }) {
  return <BrandMark brand={brandOfModel(model)} name={model} />;
}

export function TypeMark({ type, label }: { type: number; label: string }) {
  return <BrandMark brand={brandOfType(type)} name={label} />;
}

function letterOf(name: string): string {
  return (name.match(/[\p{L}\p{N}]/u)?.[0] ?? "?").toUpperCase();
}

/** Computes a hue from the first word of a name, so that a family of models has one colour. */
function hueOf(name: string): number {
  const [word = ""] = name.toLowerCase().split(/[-_/:. \d]/);
  return [...word].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7);
}
