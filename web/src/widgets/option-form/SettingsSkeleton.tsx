import { Skeleton } from "#ui/feedback/Skeleton.tsx";

/** Where sections of settings will stand once they are loaded. */
export function SettingsSkeleton() {
  return (
    <div className="flex flex-col gap-4">
      <Skeleton height={180} />
      <Skeleton height={180} />
    </div>
  );
}
