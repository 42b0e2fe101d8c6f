import { t } from '@lingui/core/macro';
import { Status } from '../../ui/status.tsx';

/** Failed, refused or slow. */
export function RequestStatus({ of, isSlow }: { of: number; isSlow: boolean }) {
  const tone = of >= 500 ? 'bad' : of >= 400 || isSlow ? 'warn' : 'good';
  return <Status tone={tone}>{isSlow ? t`${of} slow` : of}</Status>;
}
