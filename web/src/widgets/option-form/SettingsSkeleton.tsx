import { CardOutline } from "#ui/feedback/outlines.tsx";

/** Placeholders for the sections of settings while they load. */
export function SettingsSkeleton() {
  return (
    <div className="flex flex-col gap-4">
      <CardOutline fields={4} />
      <CardOutline fields={3} />
    </div>
  );
}
