import { Skeleton } from "#ui/feedback/Skeleton.tsx";

/** Placeholders for the sections of settings while they load. */
export function SettingsSkeleton() {
  return (
    <div className="flex flex-col gap-4">
      <Skeleton height={180} />
      <Skeleton height={180} />
    </div>
  );
}
