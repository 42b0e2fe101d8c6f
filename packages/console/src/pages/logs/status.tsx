import { Badge } from '@mantine/core';

/** The number says what the color does. */
export function Status({ of, isSlow }: { of: number; isSlow: boolean }) {
  const color = of >= 500 ? 'red' : of >= 400 ? 'orange' : 'brand';
  return (
    <Badge className={`log-status log-status-${color}`} variant="light" color={color} tt="none" radius="sm">
      {isSlow ? `${of} slow` : of}
    </Badge>
  );
}
