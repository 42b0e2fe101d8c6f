import { useRef } from 'react';

/** The first known address of a file, because an image that is loaded needs no later one. */
export function useFirst(address: string | undefined, file: string | undefined): string | undefined {
  const first = useRef({ file, address });
  if (first.current.file !== file) first.current = { file, address };
  first.current.address ??= address;
  return first.current.address;
}
