import { FileBadge } from './file-badge.tsx';
import { CloseIcon } from './icons.tsx';
import { useLabels } from './labels.ts';
import { sizeText } from './times.ts';
import type { Upload } from './use-uploads.ts';

export interface UploadItemProps {
  upload: Upload;
  onRemove: () => void;
  onRetry: () => void;
}

/** A file that is or will be attached to the message. */
export function UploadItem({ upload, onRemove, onRetry }: UploadItemProps) {
  const labels = useLabels();
  const { file, preview, progress, state } = upload;
  const percent = Math.round(progress * 100);
  return (
    <li className={`atrium-upload atrium-upload-${state}`}>
      {preview ? <img src={preview} alt="" /> : <FileBadge name={file.name} contentType={file.type} />}
      <span className="atrium-file-texts">
        <span className="atrium-file-name">{file.name}</span>
        <span className="atrium-file-size">
          {state === 'failed' ? labels.uploadFailed : state === 'done' ? sizeText(file.size, labels) : `${percent} %`}
        </span>
      </span>
      {state === 'uploading' && (
        <progress value={progress} max={1} aria-label={labels.uploading(percent)}>
          {percent} %
        </progress>
      )}
      {state === 'failed' && (
        <button type="button" onClick={onRetry}>
          {labels.retry}
        </button>
      )}
      <button type="button" className="atrium-icon-button" aria-label={labels.remove(file.name)} onClick={onRemove}>
        <CloseIcon />
      </button>
    </li>
  );
}
