import type { Attachment } from '@atrium/client';

const KINDS: readonly [kind: string, extensions: string][] = [
  ['pdf', 'pdf'],
  ['image', 'svg png jpg jpeg gif webp heic avif'],
  ['video', 'mp4 mov webm mkv avi'],
  ['audio', 'mp3 m4a wav ogg oga flac aac'],
  ['archive', 'zip gz tgz tar rar 7z'],
  ['sheet', 'xls xlsx csv ods numbers'],
  ['document', 'doc docx odt rtf txt md pages'],
  ['slides', 'ppt pptx odp key'],
  ['code', 'js ts json html css xml py go rs java c cpp sh sql yml yaml'],
];

/** An icon for the type of a file, with the ending of its name. */
export function FileBadge({ name = '', contentType = '' }: Pick<Attachment, 'name' | 'contentType'>) {
  const [media = ''] = contentType.split('/');
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const isEnding = ending.length <= 5 && ending.length < name.length;
  const kind =
    KINDS.find(([, endings]) => isEnding && endings.split(' ').includes(ending))?.[0] ??
    (['image', 'video', 'audio'].includes(media) ? media : 'other');
  return (
    <span className="atrium-file-badge" data-kind={kind}>
      <svg viewBox="0 0 32 40" aria-hidden="true">
        <path d="M5 0h15l12 12v23a5 5 0 0 1-5 5H5a5 5 0 0 1-5-5V5a5 5 0 0 1 5-5Z" fill="currentColor" />
        <path d="M20 0l12 12h-8a4 4 0 0 1-4-4Z" fill="#fff" fillOpacity="0.45" />
      </svg>
      <span aria-hidden="true">{isEnding && ending}</span>
    </span>
  );
}
