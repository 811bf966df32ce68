/** Calls that turn text into speech and speech into text, free of any wire format. */

export type SpeechRequest = {
  readonly text: string;
  readonly voice: string;
  readonly form: SoundForm;
  /** 1: as the voice speaks; null: the request does not say. */
  readonly speed: number | null;
};

/** The containers and codings of sound that clients name. */
export type SoundForm = "aac" | "flac" | "mp3" | "opus" | "pcm" | "wav";

/** The sound itself is a file beside the request. */
export type TranscriptionRequest = {
  /** A code such as `en`; empty: the provider finds it out. */
  readonly language: string;
  /** Null: the request does not say. */
  readonly temperature: number | null;
  readonly prompt: string;
};

export type TranscriptionAnswer = {
  readonly text: string;
  /** Empty: the provider does not say. */
  readonly language: string;
  /** How long the sound is; null: the provider does not say. */
  readonly seconds: number | null;
  readonly words: readonly {
    readonly word: string;
    readonly start: number;
    readonly end: number;
  }[];
};
