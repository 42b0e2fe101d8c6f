import type { Attachment } from '@atrium/client';
import { useAtrium } from '@atrium/react';
import { useCallback, useEffect, useRef, useState } from 'react';

export interface Upload {
  key: number;
  file: File;
  /** Address of a preview, for pictures. */
  preview: string | undefined;
  /** From 0 to 1. */
  progress: number;
  state: 'uploading' | 'done' | 'failed';
  attachment?: Attachment;
}

let nextKey = 1;

/** Uploads files while the user writes the message. */
export function useUploads() {
  const { files } = useAtrium();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const aborts = useRef(new Map<number, AbortController>());
  const change = useCallback((key: number, changes: Partial<Upload>) => {
    setUploads((all) => all.map((one) => (one.key === key ? { ...one, ...changes } : one)));
  }, []);

  const start = useCallback(
    async (upload: Upload) => {
      const { key, file, preview } = upload;
      const abort = new AbortController();
      aborts.current.set(key, abort);
      change(key, { state: 'uploading', progress: 0 });
      try {
        const [stored, size] = await Promise.all([
          files.upload(file, {
            signal: abort.signal,
            onProgress: ({ loaded, total }) => change(key, { progress: total > 0 ? loaded / total : 1 }),
          }),
          preview ? sizeOf(preview) : undefined,
        ]);
        const attachment: Attachment = {
          type: typeOf(stored.contentType),
          id: stored.uid,
          name: stored.name,
          size: stored.size,
          contentType: stored.contentType,
          ...size,
        };
        change(key, { state: 'done', progress: 1, attachment });
      } catch {
        if (!abort.signal.aborted) change(key, { state: 'failed' });
      }
    },
    [files, change],
  );

  const add = useCallback(
    (added: Iterable<File>) => {
      const next = [...added].map((file): Upload => {
        const isPicture = file.type.startsWith('image/') && !file.type.includes('svg');
        return {
          key: nextKey++,
          file,
          preview: isPicture ? URL.createObjectURL(file) : undefined,
          progress: 0,
          state: 'uploading',
        };
      });
      setUploads((all) => [...all, ...next]);
      for (const upload of next) void start(upload);
    },
    [start],
  );

  const drop = useCallback((dropped: readonly Upload[]) => {
    for (const { key, preview } of dropped) {
      aborts.current.get(key)?.abort();
      aborts.current.delete(key);
      if (preview) URL.revokeObjectURL(preview);
    }
    const keys = new Set(dropped.map(({ key }) => key));
    setUploads((all) => all.filter(({ key }) => !keys.has(key)));
  }, []);

  const latest = useRef(uploads);
  useEffect(() => {
    latest.current = uploads;
  });
  useEffect(() => () => drop(latest.current), [drop]);

  return { uploads, add, remove: (upload: Upload) => drop([upload]), retry: start, clear: () => drop(uploads) };
}

function typeOf(contentType: string): string {
  const [kind] = contentType.split('/');
  return kind === 'image' || kind === 'video' || kind === 'audio' ? kind : 'file';
}

/** So that the page reserves the room of a picture before it is loaded. */
async function sizeOf(preview: string): Promise<{ width: number; height: number } | undefined> {
  const image = new Image();
  image.src = preview;
  try {
    await image.decode();
  } catch {
    return undefined;
  }
  return { width: image.naturalWidth, height: image.naturalHeight };
}
