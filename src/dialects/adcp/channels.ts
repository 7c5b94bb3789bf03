/** Channels of ours that the public protocol calls otherwise. */
const PUBLIC_NAMES: Readonly<Record<string, string>> = { video: 'olv', audio: 'streaming_audio', native: 'display' };
/** Channels of the public protocol in which something is sold here, under our names. */
const OUR_NAMES: Readonly<Record<string, readonly string[]>> = {
  olv: ['video'],
  streaming_audio: ['audio'],
  radio: ['audio'],
  display: ['display', 'native'],
  ctv: ['ctv'],
  podcast: ['podcast'],
  email: ['email'],
  social: ['social'],
  dooh: ['dooh'],
};

/** Each once. Pure. */
export function publicChannels(channels: readonly string[]): string[] {
  return [...new Set(channels.map((channel) => PUBLIC_NAMES[channel] ?? channel))];
}

/** Our names of the channels asked for; empty where nothing is sold in any of them. Pure. */
export function ourChannels(channels: readonly string[]): string[] {
  return [
    ...new Set(channels.flatMap((channel) => (Object.hasOwn(OUR_NAMES, channel) ? (OUR_NAMES[channel] ?? []) : []))),
  ];
}
