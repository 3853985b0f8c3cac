"""Geometry of charts, brackets, trees and replays: numbers in, SVG coordinates out."""
