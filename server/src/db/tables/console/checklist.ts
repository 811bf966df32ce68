/** What users have marked on the console's start page. Written by `modules/checklist` only. */
export type ChecklistMarkTable = {
  /** 0: the mark is about the installation. */
  user_id: number;
  /** A step that is done or not needed, or `dismissed`. */
  name: string;
  /** Unix seconds. */
  marked_at: number;
};
