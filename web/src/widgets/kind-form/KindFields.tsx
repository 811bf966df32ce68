import type { Field } from "@tollgate/contract/kinds/kinds.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FieldControl } from "./FieldControl.tsx";
import type { FormField } from "./kind-fields.ts";

const F = fieldsOf<Readonly<Record<string, string>>>();

/**
 * What applies while a field is empty: the value used in its place, and the message shown if there
 * is no such value either.
 */
type StandIns = Readonly<
  Record<NonNullable<Field["standIn"]>, { readonly value: string; readonly missing: string }>
>;

/**
 * The inputs for the fields of a kind (of a notice method, for example). They must be inside a
 * form.
 */
export function KindFields(props: {
  readonly fields: readonly FormField[];
  readonly standIns: StandIns;
}) {
  return props.fields.map((each) => (
    <KindField key={each.name} {...each} standIns={props.standIns} />
  ));
}

function KindField(props: FormField & { readonly standIns: StandIns }) {
  const { name, field, label, help, isSet, standIns } = props;
  const standIn = field.standIn === undefined ? undefined : standIns[field.standIn];
  if (field.secret) {
    return <F.Password name={name} label={label} help={help} isSet={isSet} />;
  }
  return (
    <>
      <F.Custom name={name} label={label} help={help} labelled={field.type === "flag"}>
        {(control) => (
          <FieldControl {...control} field={field} label={label} placeholder={standIn?.value} />
        )}
      </F.Custom>
      {standIn?.value === "" && <MissingStandIn name={name} text={standIn.missing} />}
    </>
  );
}

function MissingStandIn({ name, text }: { readonly name: string; readonly text: string }) {
  const typed = F.useValue(name) ?? "";
  return typed.trim() === "" ? <Banner tone="warning" title={text} /> : null;
}
