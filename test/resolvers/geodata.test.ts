import { describe, expect, test } from 'vitest';
import { antipodeOf, boxAround, chordOf, type Position, type Rectangle } from '../../src/resolvers/geodata/rules.ts';
import { fc } from '../support/app/properties.ts';

const RADIUS = 6_371_008.8;
const rad = (degrees: number) => (degrees * Math.PI) / 180;
const latitude = fc.double({ min: -90, max: 90, noNaN: true });
const longitude = fc.double({ min: -180, max: 180, noNaN: true });
const position = fc.record({ latitude, longitude });

function pointOf({ latitude, longitude }: Position): number[] {
  const [phi, lambda] = [rad(latitude), rad(longitude)];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}

const chord = (a: Position, b: Position) => Math.hypot(...pointOf(a).map((x, axis) => x - pointOf(b)[axis]!));

function metres(a: Position, b: Position): number {
  const half = (x: number) => Math.sin(rad(x) / 2) ** 2;
  const across = Math.cos(rad(a.latitude)) * Math.cos(rad(b.latitude)) * half(b.longitude - a.longitude);
  return 2 * RADIUS * Math.asin(Math.min(1, Math.sqrt(half(b.latitude - a.latitude) + across)));
}

const rectangle = fc
  .tuple(latitude, longitude, latitude, longitude)
  .map(([a, west, b, east]): Rectangle => ({ south: Math.min(a, b), north: Math.max(a, b), west, east }));
const part = fc.double({ min: 0, max: 1, noNaN: true });

describe('the bounding box of a rectangle', () => {
  test('the box contains all locations of the rectangle', () => {
    fc.assert(
      fc.property(rectangle, part, part, (area, up, along) => {
        const width = area.east < area.west ? area.east + 360 - area.west : area.east - area.west;
        const east = area.west + width * along;
        const point = pointOf({
          latitude: area.south + (area.north - area.south) * up,
          longitude: east > 180 ? east - 360 : east,
        });
        const { low, high } = boxAround(area);
        for (const axis of [0, 1, 2]) {
          expect(point[axis]).toBeGreaterThanOrEqual(low[axis]! - 1e-9);
          expect(point[axis]).toBeLessThanOrEqual(high[axis]! + 1e-9);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test.each<[area: Rectangle, low: number[], high: number[]]>([
    [{ south: -90, west: -180, north: 90, east: 180 }, [-1, -1, -1], [1, 1, 1]],
    [{ south: 0, west: 0, north: 0, east: 0 }, [1, 0, 0], [1, 0, 0]],
    [{ south: 0, west: 0, north: 90, east: 90 }, [0, 0, 0], [1, 1, 1]],
    [{ south: -30, west: 170, north: 0, east: -170 }, [-1, -0.1736, -0.5], [-0.8529, 0.1736, 0]],
    [{ south: 60, west: -10, north: 60, east: 10 }, [0.4924, -0.0868, 0.866], [0.5, 0.0868, 0.866]],
  ])('the box of %j is minimal', (area, low, high) => {
    const box = boxAround(area);
    for (const axis of [0, 1, 2]) {
      expect(box.low[axis]).toBeCloseTo(low[axis]!, 4);
      expect(box.high[axis]).toBeCloseTo(high[axis]!, 4);
    }
  });
});

test('the straight-line distance corresponds to the great-circle distance', () => {
  fc.assert(
    fc.property(position, position, (a, b) => {
      expect(chordOf(metres(a, b))).toBeCloseTo(chord(a, b), 7);
    }),
  );
  expect(chordOf(0)).toBeCloseTo(0, 11);
  expect(chordOf(1e12)).toBeCloseTo(2, 11);
});

test('the antipode has the maximum distance', () => {
  fc.assert(
    fc.property(position, (here) => {
      const there = antipodeOf(here);
      expect(chord(here, there)).toBeCloseTo(2, 9);
      expect(Math.abs(there.longitude)).toBeLessThanOrEqual(180);
    }),
  );
});
