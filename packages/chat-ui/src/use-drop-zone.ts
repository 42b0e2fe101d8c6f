import { type RefObject, useEffect, useRef } from 'react';

/**
 * Lets an element accept files. While files are dragged over it, it has the attribute `data-dragging`, so that nothing
 * renders.
 */
export function useDropZone(zone: RefObject<HTMLElement | null>, onFiles: ((files: FileList) => void) | undefined) {
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  useEffect(() => {
    const element = zone.current;
    if (!element) return;
    const show = (isDragging: boolean) => element.toggleAttribute('data-dragging', isDragging);
    const over = (event: DragEvent) => {
      if (!latest.current || !event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      show(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (!element.contains(relatedTarget as Node | null)) show(false);
    };
    const drop = (event: DragEvent) => {
      show(false);
      if (!latest.current || !event.dataTransfer?.files.length) return;
      event.preventDefault();
      latest.current(event.dataTransfer.files);
    };
    element.addEventListener('dragover', over);
    element.addEventListener('dragleave', leave);
    element.addEventListener('drop', drop);
    return () => {
      element.removeEventListener('dragover', over);
      element.removeEventListener('dragleave', leave);
      element.removeEventListener('drop', drop);
    };
  }, [zone]);
}
