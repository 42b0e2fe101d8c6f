const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** For example 1.5 MB. */
export function bytesText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const format = new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: UNITS[step]!,
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  });
  return format.format(bytes / 1000 ** step);
}
